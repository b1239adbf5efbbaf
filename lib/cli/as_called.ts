/** Usage texts say `gsd-code …`; a person who called `deno task …` reads that instead. */

export function asCalled(text: string, mainModule = Deno.mainModule): string {
  const isOneCommand = mainModule.endsWith("/commands/gsd_code.ts");
  return isOneCommand ? text : text.replaceAll("gsd-code ", "deno task ");
}
