/** Keeps root from writing into a user's state folder: the user could not read those files. */

/** `what`: what is refused, as in "deliver". Undefined where it may be done. */
export function whyNotAsRoot(state: string, what: string): string | undefined {
  try {
    const { uid } = Deno.statSync(state);
    if (Deno.uid() !== 0 || uid === 0) return undefined;
    return `Cannot ${what} as root: ${state} belongs to user ${uid}. Run it as that user: ` +
      `sudo -u '#${uid}' …`;
  } catch {
    return undefined; // no state folder yet, or no permission to ask for the user id
  }
}

/** Says so where root must not write into this state folder. */
export function isRefusedAsRoot(
  what: string,
  { paths, warn }: { paths: { state: string }; warn(line: string): void },
): boolean {
  const refusal = whyNotAsRoot(paths.state, what);
  if (refusal !== undefined) warn(refusal);
  return refusal !== undefined;
}
