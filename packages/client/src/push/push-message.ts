import { type PreviewHeader, type ServerFrame, topicOfFrame } from '@switchyard/contract/dispatch/push';

/** A picture of work in progress; sent only to clients that subscribe to previews. */
export interface PreviewMessage {
  type: 'preview';
  data: PreviewHeader & { image: Uint8Array };
}

/**
 * Made by this client, not by the gateway: the connection is lost and will be opened again. The next message is a
 * `global_status`, and then the missed messages with `resumed`, or `resync`.
 */
export interface DisconnectedMessage {
  type: 'disconnected';
  data: { reason: string; retryInMs: number };
}

export type PushMessage = ServerFrame | PreviewMessage | DisconnectedMessage;

const knownTypes: ReadonlySet<string> = new Set(Object.keys(topicOfFrame));

/** Returns null for a message that this version does not know: a newer gateway may send more types. */
export function decodeMessage(data: unknown): ServerFrame | PreviewMessage | null {
  if (data instanceof ArrayBuffer) return decodePreview(data);
  if (typeof data !== 'string') return null;
  const frame = parse(data) as ServerFrame | null;
  return typeof frame === 'object' && frame !== null && knownTypes.has(frame.type) ? frame : null;
}

/** Messages with the same key replace each other while they wait to be read. Null means that each message is kept. */
export function replacementKey(message: PushMessage): string | null {
  switch (message.type) {
    case 'global_status':
      return message.type;
    case 'task_progress':
    case 'preview':
      return `${message.type} ${message.data.taskId}`;
    case 'instance_status':
      return `${message.type} ${message.data.instanceId}`;
    default:
      return null;
  }
}

function decodePreview(data: ArrayBuffer): PreviewMessage | null {
  if (data.byteLength < 4) return null;
  const imageStart = 4 + new DataView(data).getUint32(0);
  if (imageStart > data.byteLength) return null;
  const header = parse(new TextDecoder().decode(data.slice(4, imageStart))) as PreviewHeader | null;
  if (typeof header?.taskId !== 'string') return null;
  return { type: 'preview', data: { ...header, image: new Uint8Array(data, imageStart) } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
