// Processor time and memory of a server process, from /proc.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"]));

/** User and system time of all threads. */
export const processorSeconds = pid => {
  // The second field, the program's name, may contain spaces. User and system time are the 14th and 15th field.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

export const residentBytes = pid =>
  Number(readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmRSS:\s+(\d+) kB$/m)[1]) * 1024;
