import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  children: ReactNode;
  /** Returns the content to show in place of children of which one threw. */
  fallback: (error: Error) => ReactNode;
}

/** Keeps what its children throw while they are drawn from ending the page around them. */
export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error ? this.props.fallback(error) : this.props.children;
  }
}
