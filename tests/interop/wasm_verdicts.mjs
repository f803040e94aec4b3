// Holds the verifier for browsers against the program: the same replays, whole and changed, and the same reports.
//
//   node wasm_verdicts.mjs PATH_TO_HALL VERIFIER.wasm FOLDER...
//
// Every .json file below the folders is a replay. Of each, some characters are changed, one at a time, at places that are
// spread over it, so that every run changes the same.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const CHANGES = 12;
const [hall, module, ...folders] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(module));
const { room, check, answer, memory } = instance.exports;
let slowest = 0;

const inBrowser = replay => {
  const began = performance.now();
  const question = Buffer.concat([Buffer.from("{}\n"), replay]);
  const place = room(question.length);
  new Uint8Array(memory.buffer, place).set(question);
  const length = check();
  const report = new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length));
  slowest = Math.max(slowest, performance.now() - began);
  return JSON.parse(report);
};
const byProgram = replay => {
  try {
    return JSON.parse(execFileSync(hall, ["verify", "--json", "-"], { input: replay, stdio: ["pipe", "pipe", "pipe"] }));
  } catch (failed) {
    if (failed.status === 1) return JSON.parse(failed.stdout);
    return { problem: String(failed.stderr).trim().replace(/^hall verify: -: /, "") };
  }
};

const changed = replay => Array.from({ length: CHANGES }, (_, index) => {
  const bytes = Buffer.from(replay), at = Math.floor((index + 0.5) * bytes.length / CHANGES);
  // A digit becomes the next digit and a letter the next letter, so that most changes leave JSON that can be read.
  const next = { 0x39: 0x30, 0x5a: 0x41, 0x7a: 0x61 }[bytes[at]] ?? bytes[at] + 1;
  bytes[at] = next;
  return bytes;
});

let compared = 0, held = 0, failed = 0;
for (const folder of folders) {
  const names = readdirSync(folder, { recursive: true }).filter(name => name.endsWith(".json")).sort();
  if (names.length === 0) throw new Error(`${folder} has no replay`);
  for (const name of names) {
    const replay = readFileSync(join(folder, name));
    for (const bytes of [replay, ...changed(replay)]) {
      const [own, expected] = [inBrowser(bytes), byProgram(bytes)];
      if (JSON.stringify(own) !== JSON.stringify(expected)) {
        console.error(`${name}: in the browser ${JSON.stringify(own)}, by the program ${JSON.stringify(expected)}`);
        process.exit(1);
      }
      compared += 1;
      if (own.holds) held += 1;
      else failed += 1;
    }
  }
}
if (!held || !failed) throw new Error(`of ${compared} replays ${held} held`);
console.log(`${compared} replays, of which ${held} hold: both verifiers report the same; the slowest took ${slowest.toFixed(0)} ms in WebAssembly`);
