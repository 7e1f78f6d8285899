import { ToolFailure } from '../../agents/tools/tool-failure.ts';

/** How many characters of one result a model reads. */
const maxResultLength = 100_000;

/** The text of a result; other content is only named. Throws when the result is an error. */
export function toolResultText(result: Record<string, unknown>): string {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const text = cut(blocks.map(blockText).join('\n'));
  if (result.isError === true) throw new ToolFailure('mcp_tool_failed', text || 'The tool gave no reason.');
  return text;
}

function blockText(block: Record<string, unknown>): string {
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  const resource = block.resource as { text?: unknown; uri?: unknown } | undefined;
  if (typeof resource?.text === 'string') return resource.text;
  const what = block.mimeType ?? block.uri ?? resource?.uri ?? 'no text';
  return `[${String(block.type)}: ${String(what)}]`;
}

function cut(text: string): string {
  if (text.length <= maxResultLength) return text;
  return `${text.slice(0, maxResultLength)}\n[cut: ${text.length - maxResultLength} more characters]`;
}
