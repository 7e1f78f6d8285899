/** The console. */
export function App() {
  return <main className="p-6 text-text">Switchyard</main>;
}
