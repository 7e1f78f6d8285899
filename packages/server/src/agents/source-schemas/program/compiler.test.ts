import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { sourceProject } from '../../../../testing/source-project.ts';
import { loadCompiler, openSource } from './compiler.ts';

const loose = {
  compilerOptions: { strict: false, module: 'nodenext', noEmit: false, outDir: 'out', incremental: true },
};
const graph = "import type { Word } from './words.js';\nexport declare const word: Word | null;\n";

it.each([
  ['with its own options', { 'tsconfig.json': JSON.stringify(loose) }],
  ['without options', {}],
  ['with options that are no JSON', { 'tsconfig.json': '{ "compilerOptions": ' }],
])('reads the types of a project %s, strictly', (_, settings: Record<string, string>) => {
  const words = "export type Word = 'hello' | 'bye';\n";
  const project = sourceProject({
    files: { ...settings, 'graph.mts': graph, 'words.ts': words },
    compiler: 'real',
  });
  const path = createRequire(project.file('graph.mts')).resolve('typescript');
  const { checker, source, program } = openSource(loadCompiler(path), project.file('graph.mts'));
  const file = checker.getSymbolAtLocation(source);
  const [word] = file ? checker.getExportsOfModule(file) : [];
  expect(word && checker.typeToString(checker.getTypeOfSymbol(word))).toBe('Word | null');
  expect(program.getCompilerOptions()).toMatchObject({ noEmit: true, incremental: false, strict: true });
  project.remove();
});

it.each([
  ['7.0.2', "exports.version = '7.0.2';", "the project's typescript 7.0.2 has no interface for programs"],
  ['a broken one', "throw new Error('no compiler');", 'no compiler'],
])('refuses a compiler that it cannot ask: %s', (version, text, reason) => {
  const project = sourceProject({ files: { 'graph.mts': graph }, compiler: { version, text } });
  const path = createRequire(project.file('graph.mts')).resolve('typescript');
  expect(() => loadCompiler(path)).toThrow(reason);
  project.remove();
});
