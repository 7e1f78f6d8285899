import { loadCompiler, openSource } from './compiler.ts';
import type { ProgramAnswer, ProgramRequest } from './json-schema.ts';
import { sourceGraphs } from './source-graphs.ts';

/** Reads one source with the compiler of its project, writes the answer to the standard output, and ends. */
const request = JSON.parse(process.argv[2] ?? '{}') as ProgramRequest;
process.stdout.write(JSON.stringify(answer()));

function answer(): ProgramAnswer {
  try {
    const source = openSource(loadCompiler(request.compiler), request.file);
    return { graphs: sourceGraphs(source, request.exportName), sources: source.sources };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
