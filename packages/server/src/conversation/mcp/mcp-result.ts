import { ToolFailure } from '../../agents/tools/tool-failure.ts';

/** What a model reads of one result. */
const longestResult = 100_000;

/** The text of a result; what is no text is named. A result that is an error is thrown. */
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
  if (text.length <= longestResult) return text;
  return `${text.slice(0, longestResult)}\n[cut: ${text.length - longestResult} more characters]`;
}
