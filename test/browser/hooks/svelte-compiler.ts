import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { compile, compileModule } from 'svelte/compiler';

type Compiler = (text: string, options: { filename: string; generate: 'client' }) => { js: { code: string } };

/** Compiles the components of a page, and the modules of a package that use runes, as a bundler of Svelte does. */
export const svelte: Plugin = {
  name: 'svelte',
  setup(build) {
    for (const [filter, compiler] of [
      [/\.svelte$/, compile],
      [/\.svelte\.js$/, compileModule],
    ] as [RegExp, Compiler][]) {
      build.onLoad({ filter }, async ({ path }) => {
        const { js } = compiler(await readFile(path, 'utf8'), { filename: path, generate: 'client' });
        return { contents: js.code };
      });
    }
  },
};
