/** Names for wakes: sortable by time, unique without asking anybody. */

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 48 bits of time, then 80 random bits, in an alphabet nobody misreads. */
export function newWakeId(now: number): string {
  let time = "";
  for (let rest = now, i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time + Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => ALPHABET[b % 32])
    .join("");
}

export function isWakeId(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
}
