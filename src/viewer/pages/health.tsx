export function Health() {
  return (
    <section>
      <h1>Health</h1>
    </section>
  );
}
