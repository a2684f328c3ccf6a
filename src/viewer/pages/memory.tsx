export function MemoryPage({ name }: { name: string | undefined }) {
  return (
    <section>
      <h1>{name ?? 'Memory'}</h1>
    </section>
  );
}
