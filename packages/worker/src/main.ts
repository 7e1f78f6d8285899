import { runWorkerProcess } from './worker-process.ts';

process.exitCode = await runWorkerProcess(process.argv.slice(2));
