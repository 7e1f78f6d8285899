/** Nodes whose result is sent as an image over the event socket and stored nowhere. */
const socketOutputClasses = new Set(['SaveImageWebsocket', 'ETN_SendImageWebSocket']);

export function isSocketOutput(nodeClass: string | undefined): boolean {
  return nodeClass !== undefined && socketOutputClasses.has(nodeClass);
}
