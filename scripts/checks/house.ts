/**
 * The rules of the house that no ready tool knows: direction and cycles of imports, names, dependencies of the binary,
 * plain English, and what must not be committed. `--rules` prints the table instead.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { externals } from '../externals.mjs';
import { compareDependencies } from './cli-dependencies.ts';
import { findCycles } from './cycles.ts';
import { findDoubleNames } from './file-names.ts';
import { type Finding, formatFinding } from './finding.ts';
import { findHardLanguage, isHeldToPlainEnglish } from './language.ts';
import { findLateNames } from './late-names.ts';
import { environmentRule, knownPlaceRule, layerRules, queryRule, resolvableRule } from './layer-rules.ts';
import { findLayerFaults } from './layers.ts';
import { findAddresses } from './lockfile.ts';
import { findMachinePaths, machineFolders } from './machine-paths.ts';
import { findUnreachable } from './reachable.ts';
import { readPackageSources } from './source-file.ts';
import { listFiles } from './tree.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const binaryFile = /\.(png|jpe?g|gif|webp|ico|woff2?|sqlite|zip|gz)$/;

if (process.argv.includes('--rules')) printRules();
else run();

function run(): void {
  const sources = readPackageSources(root);
  const paths = listFiles(root);
  const findings = [
    ...findLayerFaults(sources),
    ...findCycles(sources),
    ...findUnreachable(sources),
    ...findDoubleNames(paths),
    ...compareDependencies(readJson('packages/cli/package.json').dependencies ?? {}, externals),
    ...['package-lock.json', '.npmrc'].flatMap((path) => findAddresses(path, read(path))),
    ...paths.flatMap((path) => findLateNames(path, /\.ts$/.test(path) ? read(path) : '')),
    ...findPathsOfThisMachine(paths),
    ...paths.filter(isHeldToPlainEnglish).flatMap((path) => findHardLanguage(path, read(path))),
  ];
  for (const finding of findings) console.log(formatFinding(finding));
  console.log(`${sources.length} source files, ${paths.length} files in all: ${findings.length} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

function findPathsOfThisMachine(paths: readonly string[]): Finding[] {
  const folders = machineFolders(root, homedir());
  return paths
    .filter((path) => !binaryFile.test(path))
    .flatMap((path) => findMachinePaths(path, read(path), folders));
}

function printRules(): void {
  for (const { name, sentence, fix } of [
    ...layerRules,
    environmentRule,
    queryRule,
    knownPlaceRule,
    resolvableRule,
  ])
    console.log(`${name}\n    ${sentence}\n    fix: ${fix}`);
}

function read(path: string): string {
  return readFileSync(`${root}/${path}`, 'utf8');
}

function readJson(path: string): { dependencies?: Record<string, string> } {
  return JSON.parse(read(path)) as { dependencies?: Record<string, string> };
}
