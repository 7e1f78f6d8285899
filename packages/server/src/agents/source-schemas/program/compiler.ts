import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as ts from 'typescript-5';

/** The compiler of the user's project, of version 5 or 6. Its types are those of 5.9, and its code is never ours. */
export type Compiler = typeof ts;

export interface OpenedSource {
  compiler: Compiler;
  checker: ts.TypeChecker;
  program: ts.Program;
  source: ts.SourceFile;
}

/** What a project without a tsconfig gets, and what a project's own options begin with. */
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
  const program = compiler.createProgram({ rootNames: [file], options: optionsFor(compiler, file) });
  const source = program.getSourceFile(file);
  if (!source) throw new Error('the compiler cannot read the file');
  return { compiler, program, source, checker: program.getTypeChecker() };
}

function optionsFor(compiler: Compiler, file: string): ts.CompilerOptions {
  const { sys } = compiler;
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
  return { ...options, ...forcedOptions };
}
