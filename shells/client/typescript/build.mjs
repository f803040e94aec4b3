// Builds dist: `npm run build`. What a build needs is installed here first, if it is not there.
//
// It is no script of the installation (`prepare`), because npm runs those of a dependency with a warning, and need not
// run them at all.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));

function run(program, words, shell = false) {
  const { status, error } = spawnSync(program, words, { cwd: folder, stdio: 'inherit', shell });
  if (status !== 0) {
    console.error(error?.message ?? `${program} ${words.join(' ')} failed`);
    process.exit(1);
  }
}

if (!existsSync(compiler)) {
  // On Windows npm is a script itself, which needs a shell.
  run('npm', ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'], process.platform === 'win32');
}
run(process.execPath, [compiler, '-p', 'tsconfig.json']);
