/**
 * Loaded by Node into OpenClaw's program (NODE_OPTIONS), which takes the parameters of a call from
 * its command line alone, where every user of the machine can read them. There they are a short
 * text instead; when the program parses that text, it gets what is in the file.
 */

const { readFileSync, unlinkSync } = require("node:fs");

const file = process.env.GSD_PARAMS_FILE;
const standIn = JSON.stringify({ gsd_params_file: file });
const parse = JSON.parse;
let params;

if (file) {
  JSON.parse = function (text, ...more) {
    if (text !== standIn) return parse(text, ...more);
    if (params === undefined) {
      params = readFileSync(file, "utf8");
      unlinkSync(file); // says that it was read
    }
    return parse(params, ...more);
  };
}
