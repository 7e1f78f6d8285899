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
  }): { threadEvents: ThreadEvents; routes: Routes[] } {
  const threadEvents = new ThreadEvents({ runs, streamLog, clock });
  const protocol = {
    commands: new ThreadCommands({ runs, states: threadStates, access }),
    events: threadEvents,
    access,
    openStreams,
  };
  const overHttp = mounts.map((mount) => protocolRoutes(mount, protocol));
  return { threadEvents, routes: [...overHttp, protocolSockets({ ...protocol, ...sockets })] };
}
