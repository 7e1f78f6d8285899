import { getCustomSkill, listSkills } from '@switchyard/contract/conversation/skill';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../lib/gateway.ts';

export const skillsKey = ['skills'];

export const skillsQuery = queryOptions({
  queryKey: [...skillsKey, 'list'],
  queryFn: ({ signal }) => gateway.call(listSkills, { signal }),
});

/** The text of a custom skill; skills that came with the gateway tell only their description. */
export function skillTextQuery(name: string) {
  return queryOptions({
    queryKey: [...skillsKey, 'text', name],
    queryFn: ({ signal }) => gateway.call(getCustomSkill, { params: { skill_name: name }, signal }),
  });
}
