import type { Finding } from './finding.ts';

const packageFile = 'packages/cli/package.json';

/**
 * The bundle needs at run time exactly what the build leaves out of it. One package more is dead weight for every user,
 * and one less is a crash at start.
 */
export function compareDependencies(
  dependencies: Readonly<Record<string, string>>,
  externals: readonly string[],
): Finding[] {
  const declared = Object.keys(dependencies);
  const missing = externals.filter((name) => !declared.includes(name));
  const surplus = declared.filter((name) => !externals.includes(name));
  return [
    ...missing.map((name) => finding(`${name} is external but no dependency`, 'add it to "dependencies"')),
    ...surplus.map((name) =>
      finding(
        `${name} is a dependency but bundled`,
        'move it to "devDependencies", or to scripts/externals.mjs',
      ),
    ),
  ];
}

function finding(found: string, fix: string): Finding {
  return { file: packageFile, line: 0, rule: 'cli-dependencies-are-externals', found, fix };
}
