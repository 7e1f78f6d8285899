import type { AnswerVersion, ThreadAnswers } from '@switchyard/contract/conversation/answers';

/** The place of an answer among its versions, with the addresses of the ones beside it. */
export interface AnswerPlace {
  /** The same for all versions. */
  id: string;
  number: number;
  count: number;
  before: VersionAddress | null;
  after: VersionAddress | null;
}

/** Null as the run stands for the newest conversation, which the address does not name. */
export interface VersionAddress {
  runId: string | null;
}

/** Returns null for an answer that was given once. */
export function placeOf(answers: ThreadAnswers | undefined, runId: string): AnswerPlace | null {
  const versions = versionsWith(answers, runId);
  const index = versions.findIndex(({ run_id }) => run_id === runId);
  const [first] = versions;
  if (first === undefined || index < 0) return null;
  return {
    id: first.run_id,
    number: index + 1,
    count: versions.length,
    before: addressOf(versions[index - 1]),
    after: addressOf(versions[index + 1]),
  };
}

/** The same for all versions of an answer, so that the page changes one into another in its place. */
export function keyOf(answers: ThreadAnswers | undefined, runId: string): string {
  return placeOf(answers, runId)?.id ?? runId;
}

/** Leaves out turns that a later one is a version of: they are on the page until the messages are read again. */
export function lastVersions<T extends { runId: string }>(
  answers: ThreadAnswers | undefined,
  turns: readonly T[],
): T[] {
  const turnKeys = turns.map(({ runId }) => keyOf(answers, runId));
  return turns.filter((_turn, index) => turnKeys.lastIndexOf(turnKeys[index] ?? '') === index);
}

/** The version that the address names; null when it is part of the newest conversation, and when there is none of that name. */
export function olderVersion(
  answers: ThreadAnswers | undefined,
  wanted: string | null,
): AnswerVersion | null {
  if (wanted === null) return null;
  const version = versionsWith(answers, wanted).find(({ run_id }) => run_id === wanted);
  return version === undefined || version.is_newest ? null : version;
}

function versionsWith(answers: ThreadAnswers | undefined, runId: string): AnswerVersion[] {
  const answer = answers?.data.find(({ versions }) => versions.some(({ run_id }) => run_id === runId));
  return answer?.versions ?? [];
}

function addressOf(version: AnswerVersion | undefined): VersionAddress | null {
  if (version === undefined) return null;
  return { runId: version.is_newest ? null : version.run_id };
}
