import { createRequire } from 'node:module';

/** Reads the version from the package's own description, without loading the package. */
export function langgraphVersion(): string {
  const { version } = createRequire(import.meta.url)('@langchain/langgraph/package.json') as {
    version: string;
  };
  return version;
}
