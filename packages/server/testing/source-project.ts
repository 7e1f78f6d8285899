import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export interface SourceProject {
  folder: string;
  file(name: string): string;
  remove(): void;
}

interface SourceProjectParts {
  /** The texts of files by their names. */
  files: Record<string, string>;
  /** `real` is version 5; a text is the module of a package that stands for one; null is none. */
  compiler: 'real' | { version: string; text: string } | null;
}

/** A project of a user in a folder of its own, with the packages of this workspace and a compiler of its own. */
export function sourceProject({ files, compiler }: SourceProjectParts): SourceProject {
  const { path: folder, remove } = temporaryFolder();
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('package.json', '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) write(name, text);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['@langchain', 'langchain', 'zod'])
    symlinkSync(join(packages, name), join(folder, 'node_modules', name));
  if (compiler === 'real')
    symlinkSync(join(packages, 'typescript-5'), join(folder, 'node_modules/typescript'));
  else if (compiler !== null) {
    const { version, text } = compiler;
    write('node_modules/typescript/package.json', JSON.stringify({ version, main: './index.cjs' }));
    write('node_modules/typescript/index.cjs', text);
  }
  return { folder, file: (name) => join(folder, name), remove };
}
