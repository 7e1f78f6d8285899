import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as ts from 'typescript-5';

/** The compiler of the user's project, of version 5 or 6. Its types are those of 5.9, and its code is never ours. */
export type Compiler = typeof ts;

export interface OpenedSource {
  compiler: Compiler;
  checker: ts.TypeChecker;
  program: ts.Program;
  source: ts.SourceFile;
  /** The files that decide about what is read. */
  sources: string[];
}

/** The options of a project without a tsconfig. A project's own options are added to them. */
const usualOptions = {
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
};

/** Types are read and nothing is written, whatever the project says. */
const forcedOptions = {
  noEmit: true,
  composite: false,
  incremental: false,
  declaration: false,
  skipLibCheck: true,
  strict: true,
  strictNullChecks: true,
  allowJs: true,
  checkJs: false,
};

/** Throws when the package `typescript` of the project has no interface for programs, as version 7. */
export function loadCompiler(path: string): Compiler {
  const found = createRequire(path)(path) as Partial<Compiler>;
  if (typeof found.createProgram === 'function') return found as Compiler;
  throw new Error(
    `the project's typescript ${found.version ?? '(no version)'} has no interface for programs`,
  );
}

/** Reads a file and what it imports, with the options of the project's tsconfig where there is one. */
export function openSource(compiler: Compiler, file: string): OpenedSource {
  const { options, files } = optionsFor(compiler, file);
  const program = compiler.createProgram({ rootNames: [file], options });
  const source = program.getSourceFile(file);
  if (!source) throw new Error('the compiler cannot read the file');
  const sources = [...new Set([...files, ...program.getSourceFiles().map(decisiveFile)])];
  return { compiler, program, source, sources, checker: program.getTypeChecker() };
}

const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//;

/** The description of a package, which has its version, stands for the package's files. */
function decisiveFile({ fileName }: ts.SourceFile): string {
  const folder = packageFolder.exec(fileName)?.[0];
  return folder === undefined ? fileName : `${folder}package.json`;
}

/** Returns the options with the files that they were read from. */
function optionsFor(compiler: Compiler, file: string): { options: ts.CompilerOptions; files: string[] } {
  const files: string[] = [];
  const sys = {
    ...compiler.sys,
    readFile: (path: string) => {
      files.push(path);
      return compiler.sys.readFile(path);
    },
  };
  const folder = dirname(file);
  const found = compiler.findConfigFile(folder, (path) => sys.fileExists(path));
  const own =
    found === undefined ? {} : ((compiler.readConfigFile(found, sys.readFile).config ?? {}) as object);
  const ownOptions = 'compilerOptions' in own ? (own.compilerOptions as object) : {};
  const isOwn = found !== undefined;
  // Only the options are asked for, so no folder of the project is searched for its files.
  const host = { ...sys, readDirectory: () => [] };
  const config = { ...own, compilerOptions: { ...(isOwn ? {} : usualOptions), ...ownOptions } };
  const { options } = compiler.parseJsonConfigFileContent(config, host, isOwn ? dirname(found) : folder);
  // A project without a configuration may get one later, which then counts.
  if (!isOwn) files.push(join(folder, 'tsconfig.json'));
  return { options: { ...options, ...forcedOptions }, files };
}
