/** The entries of `configurable` that say to a graph who has started its run. No client can set them. */
export function authEntries(
  userId: string,
  authUser: Record<string, unknown> | null | undefined,
): Record<string, unknown> {
  const user: Record<string, unknown> = authUser ?? { identity: userId, permissions: [] };
  return {
    langgraph_auth_user_id: user.identity,
    langgraph_auth_user: user,
    langgraph_auth_permissions: user.permissions,
  };
}
