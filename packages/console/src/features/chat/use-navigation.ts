import { useCallback } from 'react';
import { useLocation } from 'wouter';

/** Opens another page of the console. */
export function useNavigation(): (address: string) => void {
  const [, navigate] = useLocation();
  return useCallback((address: string) => navigate(address), [navigate]);
}
