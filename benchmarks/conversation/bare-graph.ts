import { startPeer } from './peer-process.ts';

export interface BareRequest {
  graph: 'echo' | 'fast' | 'paced' | 'answering';
  /** Keeps checkpoints in memory. */
  hasSaver?: boolean;
  streamMode?: string[];
  clients: number;
  seconds: number;
}

/** The answer of peers/bare-graph.ts to one request. */
export interface BareLoop {
  perSecond: number;
  runs: number;
  /** The times from the call to the first part of the stream, to its first token, and to its end. */
  firstMsP50: number;
  firstTokenMsP50: number;
  firstTokenMsP95: number;
  wholeMsP50: number;
  wholeMsMax: number;
  /** The time of the tokens alone, if the graph sends any. */
  tokensPerSecond: number;
  /** The processor time of the main thread for each run. */
  mainThreadMs: number;
}

export interface BareGraph {
  /** Runs one graph again and again. Loops follow each other in the same process, so it stays warm. */
  loop: (request: BareRequest) => Promise<BareLoop>;
  stop: () => void;
}

/** The graphs by themselves in a process of their own: no server, no disk. */
export async function startBareGraph(env: Record<string, string> = {}): Promise<BareGraph> {
  const peer = await startPeer('bare-graph.ts', { env });
  return {
    loop: async (request) => JSON.parse(await peer.ask(JSON.stringify(request))) as BareLoop,
    stop: peer.stop,
  };
}
