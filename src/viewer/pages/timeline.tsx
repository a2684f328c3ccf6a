export function Timeline() {
  return (
    <section>
      <h1>Timeline</h1>
    </section>
  );
}
