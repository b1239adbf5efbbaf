/** Keeps root from writing into a user's state folder: that user could no longer read it. */

export function whyNotAsRoot(state: string): string | undefined {
  try {
    const { uid } = Deno.statSync(state);
    if (Deno.uid() !== 0 || uid === 0) return undefined;
    return `Cannot deliver as root: ${state} belongs to user ${uid}. Run it as that user: ` +
      `sudo -u '#${uid}' …`;
  } catch {
    return undefined; // no state folder yet, or a launcher that may not ask who it is
  }
}
