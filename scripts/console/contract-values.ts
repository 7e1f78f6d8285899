import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { pageValue } from './endpoint-outline.ts';

/** The exported names of one file of the contract, with their values. */
type Values = Record<string, unknown>;

/** Files of functions that the page, the command line and the server share. They import nothing. */
export const sharedFiles = [
  'dispatch/field-name.ts',
  'dispatch/model-file.ts',
  'dispatch/parameter-key.ts',
  'dispatch/worker-address.ts',
  'doors/comfyui-address.ts',
  'is-record.ts',
  'shell-word.ts',
];

/**
 * Gives the page the words, limits and endpoints of the contract without its schemas, which only the server reads. A page that
 * imports a schema of the contract, or a function of another file than the shared ones, fails to build.
 */
export function contractValues(folder: string) {
  let modules: Promise<Map<string, Values>> | undefined;
  return {
    name: 'contract-values',
    apply: 'build',
    async load(id: string) {
      if (!id.startsWith(`${folder}/`) || sharedFiles.includes(id.slice(folder.length + 1))) return null;
      modules ??= readContract(folder);
      const values = (await modules).get(id);
      return values === undefined ? null : { code: moduleOf(values), moduleType: 'js' };
    },
  } as const;
}

/** Returns the source of a module that exports what a page may use of these values. */
export function moduleOf(values: Values): string {
  const lines = Object.entries(values).flatMap(([name, value]) => {
    const kept = pageValue(value);
    return kept === undefined ? [] : [`export const ${name} = ${JSON.stringify(kept)};\n`];
  });
  return lines.join('') || 'export {};\n';
}

/** Runs every file of the contract. None of them does anything but make its constants. */
export async function readContract(folder: string): Promise<Map<string, Values>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(folder, path));
  const source = files
    .map((file, index) => `export * as file${index} from ${JSON.stringify(file)};\n`)
    .join('');
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  const namespaces = (await import(`data:text/javascript;base64,${code}`)) as Record<string, Values>;
  return new Map(files.map((file, index) => [file, { ...namespaces[`file${index}`] }]));
}
