import {
  Activity,
  BookOpen,
  Bot,
  Boxes,
  Brain,
  ChartColumn,
  Cpu,
  Images,
  KeyRound,
  LayoutDashboard,
  ListTodo,
  type LucideIcon,
  MessagesSquare,
  Play,
  Plug,
  ScrollText,
  Server,
  Settings,
  Share2,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react';

export interface NavigationEntry {
  /** The first part of the address, and the key of the text. */
  name: string;
  icon: LucideIcon;
}

/** The groups of the rail, from top to bottom. The rail shows those entries whose page exists and that the user may see. */
export const navigation: readonly (readonly NavigationEntry[])[] = [
  [
    { name: 'start', icon: Play },
    { name: 'overview', icon: LayoutDashboard },
    { name: 'tasks', icon: ListTodo },
    { name: 'instances', icon: Server },
    { name: 'workflows', icon: Workflow },
    { name: 'gallery', icon: Images },
    { name: 'shared', icon: Share2 },
  ],
  [
    { name: 'chat', icon: MessagesSquare },
    { name: 'runs', icon: Activity },
    { name: 'usage', icon: ChartColumn },
  ],
  [
    { name: 'agents', icon: Bot },
    { name: 'models', icon: Cpu },
    { name: 'mcp-servers', icon: Plug },
    { name: 'skills', icon: BookOpen },
    { name: 'memory', icon: Brain },
  ],
  [
    { name: 'webhooks', icon: Webhook },
    { name: 'tokens', icon: KeyRound },
    { name: 'users', icon: Users },
    { name: 'settings', icon: Settings },
    { name: 'audit', icon: ScrollText },
    { name: 'system', icon: Boxes },
  ],
];
