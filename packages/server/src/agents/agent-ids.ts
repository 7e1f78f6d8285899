import { createHash } from 'node:crypto';

/** The agent that answers when the client names none of the user's own. */
export const leadAgentName = 'lead_agent';

/**
 * Every LangGraph server derives the id from this namespace, so a client may compute the id of a graph's own assistant itself.
 */
const namespace = Buffer.from('6ba7b8219dad11d180b400c04fd430c8', 'hex');

/** Returns the UUIDv5 of a graph's name, which is the id of its system assistant. */
export function assistantIdOf(graphId: string): string {
  const bytes = createHash('sha1').update(namespace).update(graphId).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
