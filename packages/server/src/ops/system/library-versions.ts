import { createRequire } from 'node:module';

const libraries = [
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/openai',
  '@photostructure/sqlite',
  'bcrypt',
  'sharp',
] as const;

/** The versions of the libraries that are installed beside the gateway, read from their own descriptions. */
export function libraryVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const versions: Record<string, string> = {};
  for (const name of libraries) {
    const version = versionOf(require, name);
    if (version !== undefined) versions[name] = version;
  }
  return versions;
}

/** Returns undefined for a library that is not installed, or keeps its description to itself. */
function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return (require(`${name}/package.json`) as { version: string }).version;
  } catch {
    return undefined;
  }
}
