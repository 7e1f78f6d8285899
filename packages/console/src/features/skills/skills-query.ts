import { getCustomSkill, listSkills, type SkillText } from '@switchyard/contract/conversation/skill';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const skillsKey = ['skills'];

export const skillsQuery = queryOptions({
  queryKey: [...skillsKey, 'list'],
  queryFn: ({ signal }) => gateway.call(listSkills, { signal }),
});

export interface ReadSkill {
  content: string;
  /** Names the text for a change of it. */
  etag: string | null;
}

/** The text of a custom skill; skills that came with the gateway have only a description. */
export function skillTextQuery(name: string) {
  return queryOptions({
    queryKey: [...skillsKey, 'text', name],
    queryFn: async ({ signal }): Promise<ReadSkill> => {
      const url = getCustomSkill.url.replace(':skill_name', encodeURIComponent(name));
      const response = await fetch(url, { signal }).catch(() => null);
      // The client returns no headers, but it knows what a refusal means.
      const { content } = response?.ok
        ? ((await response.json()) as SkillText)
        : await gateway.call(getCustomSkill, { params: { skill_name: name }, signal });
      return { content, etag: response?.headers.get('etag') ?? null };
    },
  });
}
