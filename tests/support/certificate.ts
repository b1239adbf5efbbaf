/** A certificate for 127.0.0.1 and the authority that signed it, made by openssl for one test. */

export interface Certificate {
  cert: string;
  key: string;
  authorityFile: string;
}

export async function makeCertificate(folder: string): Promise<Certificate> {
  const openssl = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("openssl", { args, cwd: folder }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const extensions = "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n";
  await Deno.writeTextFile(`${folder}/extensions`, extensions);
  await openssl("req", "-x509", ...fresh, "-keyout", "a.key", "-out", "a.pem", "-subj", "/CN=A");
  await openssl("req", ...fresh, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=gateway");
  const signer = ["-CA", "a.pem", "-CAkey", "a.key", "-CAcreateserial"];
  const about = ["-in", "own.csr", "-extfile", "extensions", "-out", "own.pem"];
  await openssl("x509", "-req", ...signer, ...about);
  return {
    cert: await Deno.readTextFile(`${folder}/own.pem`),
    key: await Deno.readTextFile(`${folder}/own.key`),
    authorityFile: `${folder}/a.pem`,
  };
}
