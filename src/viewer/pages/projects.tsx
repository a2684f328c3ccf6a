export function Projects() {
  return (
    <section>
      <h1>Projects</h1>
    </section>
  );
}

export function ProjectPage({ path }: { path: string }) {
  return (
    <section>
      <h1>{path}</h1>
    </section>
  );
}
