export function Costs() {
  return (
    <section>
      <h1>Costs</h1>
    </section>
  );
}
