import { posix } from 'node:path';
import type { Finding } from './finding.ts';
import {
  type Edge,
  knownPlaceRule,
  layerRules,
  type Place,
  placeOf,
  queryRule,
  resolvableRule,
} from './layer-rules.ts';
import type { ImportStatement, SourceFile } from './source-file.ts';

/** Applies the table in layer-rules.ts to every import of every file. */
export function findLayerFaults(files: readonly SourceFile[]): Finding[] {
  const known = new Set(files.map((file) => file.path));
  return files.flatMap((file) => [...faultsOfFile(file), ...faultsOfImports(file, known)]);
}

/** Where an import leads: a path in the repository, or undefined for a package from outside. */
export function resolveImport(fromPath: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(fromPath), specifier);
  const [, packageName, inside] = /^@switchyard\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  return packageName === undefined ? undefined : `packages/${packageName}/src/${inside}.ts`;
}

function faultsOfFile(file: SourceFile): Finding[] {
  const findings: Finding[] = [];
  if (knownPlaceRule.isBroken(file)) {
    const { name, fix } = knownPlaceRule;
    findings.push({ file: file.path, line: 0, rule: name, found: 'a file in a place without a rule', fix });
  }
  if (queryRule.isBroken(file)) {
    const { name, fix } = queryRule;
    for (const { line } of file.queries)
      findings.push({ file: file.path, line, rule: name, found: 'builds a statement', fix });
  }
  return findings;
}

function faultsOfImports(file: SourceFile, known: ReadonlySet<string>): Finding[] {
  const from = placeOf(file.path);
  if (from === undefined) return [];
  return file.imports.flatMap((statement) => faultsOfImport(file, { from, statement, known }));
}

function faultsOfImport(
  file: SourceFile,
  { from, statement, known }: { from: Place; statement: ImportStatement; known: ReadonlySet<string> },
): Finding[] {
  const path = resolveImport(file.path, statement.specifier);
  const to = path === undefined ? undefined : (placeOf(path) ?? outsidePackages(path));
  const edge: Edge = { from, to, library: path === undefined ? libraryOf(statement.specifier) : undefined };
  const broken: { name: string; fix: string }[] = layerRules.filter(
    (rule) => !(rule.freesTests && file.isTest) && rule.isBroken(edge),
  );
  const exists =
    path !== undefined && (known.has(path) || isAsset(path) || (file.isTest && isTestSupport(from, path)));
  if (resolvableRule.isBroken(from, statement, to, exists)) broken.push(resolvableRule);
  return broken.map(({ name, fix }) => ({
    file: file.path,
    line: statement.line,
    rule: name,
    found: `imports ${statement.specifier}`,
    fix,
  }));
}

/** A relative path that leaves every `src`: it belongs to no package, so it is never its own. */
function outsidePackages(path: string): Place {
  return { path, package: '', inside: path, layer: '' };
}

/** For example a stylesheet: the bundler checks that it exists. */
function isAsset(path: string): boolean {
  const extension = posix.extname(path);
  return extension !== '' && extension !== '.ts' && extension !== '.tsx';
}

/** Helpers beside the tests of the same package: the compiler checks that they exist. */
function isTestSupport(from: Place, path: string): boolean {
  return (
    path.startsWith(`packages/${from.package}/test/`) || path.startsWith(`packages/${from.package}/testing/`)
  );
}

function libraryOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}
