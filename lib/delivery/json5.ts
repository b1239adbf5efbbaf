/** Reads JSON5, the form of OpenClaw's config: comments, bare keys, single quotes, loose commas. */

/** The value, or a SyntaxError that names the line. The text itself is never part of the error. */
export function parseJson5(text: string): unknown {
  const reader = new Reader(text.replace(/^\uFEFF/, ""));
  const value = reader.value();
  reader.end();
  return value;
}

const ESCAPES: Record<string, string> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
};
const WORDS: Record<string, unknown> = {
  true: true,
  false: false,
  null: null,
  NaN: NaN,
  Infinity: Infinity,
};
const NUMBER = /[+-]?(?:0[xX][\da-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;
const BLANKS = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(): unknown {
    this.skip();
    const char = this.text[this.at];
    if (char === "{") return this.object();
    if (char === "[") return this.list();
    if (char === '"' || char === "'") return this.string(char);
    const number = this.match(NUMBER);
    if (number !== undefined) {
      const negative = number.startsWith("-");
      const size = Number(number.replace(/^[+-]/, ""));
      return negative ? -size : size;
    }
    const word = this.match(NAME);
    if (word !== undefined && Object.hasOwn(WORDS, word)) return WORDS[word];
    throw this.problem("a value was expected");
  }

  end(): void {
    this.skip();
    if (this.at < this.text.length) throw this.problem("something follows the end");
  }

  private object(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.each("}", () => {
      const char = this.text[this.at];
      const name = char === '"' || char === "'" ? this.string(char) : this.match(NAME);
      if (name === undefined) throw this.problem("a name was expected");
      this.skip();
      if (this.text[this.at++] !== ":") throw this.problem("a colon was expected");
      // Not an assignment: `__proto__` is a name like any other.
      const value = this.value();
      Object.defineProperty(result, name, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    });
    return result;
  }

  private list(): unknown[] {
    const result: unknown[] = [];
    this.each("]", () => result.push(this.value()));
    return result;
  }

  private each(close: string, readOne: () => void): void {
    this.at++;
    for (;;) {
      this.skip();
      if (this.text[this.at] === close) break;
      readOne();
      this.skip();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== close) throw this.problem(`"${close}" was expected`);
    }
    this.at++;
  }

  private string(quote: string): string {
    let result = "";
    for (this.at++; this.at < this.text.length;) {
      const char = this.text[this.at++]!;
      if (char === quote) return result;
      result += char === "\\" ? this.escape() : char;
    }
    throw this.problem("a text does not end");
  }

  private escape(): string {
    const char = this.text[this.at++] ?? "";
    const digits = char === "u" ? 4 : char === "x" ? 2 : 0;
    if (digits > 0) {
      const code = this.text.slice(this.at, this.at + digits);
      if (!/^[\da-fA-F]+$/.test(code)) throw this.problem("an escape is not whole");
      this.at += digits;
      return String.fromCharCode(parseInt(code, 16));
    }
    if (char === "\r" && this.text[this.at] === "\n") this.at++;
    if (char === "\n" || char === "\r") return "";
    return ESCAPES[char] ?? char;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private skip(): void {
    this.match(BLANKS);
  }

  private problem(what: string): SyntaxError {
    const line = this.text.slice(0, this.at).split("\n").length;
    return new SyntaxError(`line ${line}: ${what}`);
  }
}
