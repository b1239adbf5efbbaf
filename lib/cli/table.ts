import { onOneLine } from "./speaker.ts";

/** Aligned columns, a line for each row; the last column is not padded. */
export function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows.map((row) => row.map((cell) => onOneLine(cell)))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  return all.map((row) =>
    row.map((cell, column) => column === row.length - 1 ? cell : cell.padEnd(widths[column]!))
      .join("  ").trimEnd()
  ).join("\n");
}
