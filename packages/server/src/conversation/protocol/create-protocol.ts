import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadStates } from '../threads/thread-states.ts';
import { ThreadCommands } from './commands.ts';
import { protocolRoutes } from './protocol-routes.ts';
import { type ProtocolSocketsOptions, protocolSockets } from './protocol-socket-routes.ts';
import { ThreadEvents } from './thread-events.ts';

/** LangGraph's second protocol, over HTTP and WebSocket. */
export function createProtocol({
  runs,
  threadStates,
  access,
  streamLog,
  openStreams,
  clock,
  ...sockets
}: Pick<ConversationParts, 'streamLog' | 'openStreams' | 'clock'> &
  Pick<ProtocolSocketsOptions, 'guard' | 'admission' | 'endOf' | 'decide'> & {
    runs: Runs;
    threadStates: ThreadStates;
    access: ThreadAccess;
  }): Routes[] {
  const protocol = {
    commands: new ThreadCommands({ runs, states: threadStates, access }),
    events: new ThreadEvents({ runs, streamLog, clock }),
    access,
    openStreams,
  };
  return [
    ...mounts.map((mount) => protocolRoutes(mount, protocol)),
    protocolSockets({ ...protocol, ...sockets }),
  ];
}
