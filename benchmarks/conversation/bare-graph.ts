import { startPeer } from './peer-process.ts';

export interface BareRequest {
  graph: 'echo' | 'fast' | 'paced';
  /** Keeps checkpoints in memory. */
  hasSaver?: boolean;
  streamMode?: string[];
  clients: number;
  seconds: number;
}

/** The output of peers/bare-graph.ts. */
export interface BareLoop {
  perSecond: number;
  /** The times from the call to the first part of the stream, and to its end. */
  firstMsP50: number;
  wholeMsP50: number;
  wholeMsMost: number;
  /** The time of the tokens alone, if the graph sends any. */
  tokensPerSecond: number;
}

/** The graph by itself in a fresh process: no server, no disk. */
export async function bareGraph(request: BareRequest): Promise<BareLoop> {
  const peer = await startPeer('bare-graph.ts', { args: [JSON.stringify(request)] });
  return JSON.parse(peer.says) as BareLoop;
}
