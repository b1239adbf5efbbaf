/** Numbers out of noise. */

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

/** The value below which that part of all values is. */
export function quantile(values: number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!;
}
