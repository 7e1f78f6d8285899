/**
 * The rules of the house that no ready tool knows: direction of imports, sizes, names, dependencies of the
 * binary, plain English, and what must not be committed. Each rule is printed with the number of its findings. Instead of
 * that, `--rules` prints the sentence of each rule, and `--numbers` counts what the product consists of.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { externals } from '../externals.mjs';
import { compareDependencies } from './cli-dependencies.ts';
import { findDoubleNames } from './file-names.ts';
import { type Finding, formatFinding } from './finding.ts';
import { findLargeFolders, maxFolderFiles } from './folder-sizes.ts';
import { findForeignParts, findUnusedExceptions } from './foreign-parts.ts';
import { findHardLanguage, isHeldToPlainEnglish } from './language.ts';
import { findLateNames } from './late-names.ts';
import { knownPlaceRule, layerRules, queryRule, resolvableRule } from './layer-rules.ts';
import { findLayerFaults } from './layers.ts';
import { findAddresses } from './lockfile.ts';
import { findMachinePaths, machineFolders } from './machine-paths.ts';
import { type CountedFile, countNumbers, maxOwnersOfName } from './numbers.ts';
import { findUnreachable } from './reachable.ts';
import { countByRule, type Rule } from './rule-counts.ts';
import { findCommonNames } from './shared-names.ts';
import { findSmallFiles, maxSmallLines, withoutExceptions } from './small-files.ts';
import { readPackageSources } from './source-file.ts';
import { listFiles } from './tree.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const binaryFile = /\.(png|jpe?g|gif|webp|ico|woff2?|sqlite|zip|gz)$/;

const sources = readPackageSources(root);
const paths = listFiles(root);

/** Every rule with the sentence that it enforces, beside what finds where it is broken. */
const checks: { rules: Rule[]; find: () => Finding[] }[] = [
  {
    rules: [...layerRules, queryRule, knownPlaceRule, resolvableRule],
    find: () => findLayerFaults(sources),
  },
  {
    rules: [{ name: 'reached', sentence: 'An entry point reaches every line of src.' }],
    find: () => findUnreachable(sources),
  },
  {
    rules: [
      { name: 'small-folders', sentence: `A folder of the server has at most ${maxFolderFiles} files.` },
    ],
    find: () => findLargeFolders(paths, { architecture: read('ARCHITECTURE.md') }),
  },
  {
    rules: [
      {
        name: 'worth-a-file',
        sentence: `A file of at most ${maxSmallLines} lines that one file of its folder reads has a test, or is a part of its reader.`,
      },
    ],
    find: () => withoutExceptions(findSmallFiles(sourcesWithText())),
  },
  {
    rules: [
      {
        name: 'names-say-their-subject',
        sentence: `No name of an exported function or type stands more than ${maxOwnersOfName} times.`,
      },
    ],
    find: () => findCommonNames(sourcesWithText()),
  },
  {
    rules: [{ name: 'no-late-names', sentence: 'No closure uses a name that is declared below it.' }],
    find: () => inFiles(/\.ts$/, findLateNames),
  },
  {
    rules: [
      {
        name: 'no-foreign-parts',
        sentence: 'No private member of a library is used, and no global or prototype is replaced.',
      },
    ],
    find: () => [
      ...inFiles(/\.tsx?$/, findForeignParts),
      ...findUnusedExceptions((path) => (paths.includes(path) ? read(path) : null)),
    ],
  },
  {
    rules: [
      { name: 'unique-file-names', sentence: 'No name of a file stands twice in the areas of the server.' },
    ],
    find: () => findDoubleNames(paths),
  },
  {
    rules: [
      { name: 'plain-english', sentence: 'Comments, messages, guides and names of tests are plain English.' },
    ],
    find: () => paths.filter(isHeldToPlainEnglish).flatMap((path) => findHardLanguage(path, read(path))),
  },
  {
    rules: [
      { name: 'cli-dependencies-are-externals', sentence: 'The binary depends on what it does not bundle.' },
    ],
    find: () => {
      const { dependencies, optionalDependencies } = readJson('packages/cli/package.json');
      return compareDependencies({ ...dependencies, ...optionalDependencies }, externals);
    },
  },
  {
    rules: [{ name: 'no-download-addresses', sentence: 'The lockfile names no place to download from.' }],
    find: () => ['package-lock.json', '.npmrc'].flatMap((path) => findAddresses(path, read(path))),
  },
  {
    rules: [{ name: 'no-machine-paths', sentence: 'No file names a folder of one machine.' }],
    find: () => findPathsOfThisMachine(),
  },
];

const rules = checks.flatMap((check) => check.rules);
if (process.argv.includes('--rules')) printRules();
else if (process.argv.includes('--numbers')) printNumbers();
else run();

function run(): void {
  const findings = checks.flatMap(({ find }) => find());
  for (const finding of findings) console.log(formatFinding(finding));
  for (const line of countByRule(rules, findings)) console.log(line);
  console.log(`${sources.length} source files, ${paths.length} files in all: ${findings.length} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

function sourcesWithText(): CountedFile[] {
  return sources.map((source) => ({ ...source, text: read(source.path) }));
}

function inFiles(name: RegExp, find: (path: string, text: string) => Finding[]): Finding[] {
  return paths.filter((path) => name.test(path)).flatMap((path) => find(path, read(path)));
}

function findPathsOfThisMachine(): Finding[] {
  const folders = machineFolders(root, homedir());
  return paths
    .filter((path) => !binaryFile.test(path))
    .flatMap((path) => findMachinePaths(path, read(path), folders));
}

function printRules(): void {
  for (const { name, sentence, fix } of rules)
    console.log(`${name}\n    ${sentence}${fix === undefined ? '' : `\n    fix: ${fix}`}`);
}

function printNumbers(): void {
  for (const { name, value } of countNumbers(sourcesWithText())) console.log(`${name}: ${value}`);
}

function read(path: string): string {
  return readFileSync(`${root}/${path}`, 'utf8');
}

function readJson(
  path: string,
): Partial<Record<'dependencies' | 'optionalDependencies', Record<string, string>>> {
  return JSON.parse(read(path)) as { dependencies?: Record<string, string> };
}
