const shapes = {
  holdfast: 'M12 3v10M12 13c0 4-3 4-5 7M12 13c0 4 3 4 5 7M12 13v8M12 8C8.5 8 8 5.5 8 4M12 10.500c3.500 0 4-2.500 4-4',
  now: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4l3 2',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.500 15.500L20 20',
  timeline: 'M4 6h16M4 12h10M4 18h13',
  memory: 'M6 4h9l3 3v13H6zM9 11h6M9 15h6',
  projects: 'M4 7h6l2 2h8v10H4z',
  groups: 'M4 5h11v8H8l-4 3zM17 9h3v10l-3-2.500h-6V15',
  costs: 'M5 19V11M10 19V6M15 19v-5M20 19V9',
  health: 'M3 12h4l2.500-6 4 12 2.500-6h5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 1.400M17 17l1.400 1.400M5.600 18.400L7 17M17 7l1.400-1.400',
  moon: 'M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500z',
  half: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  copy: 'M9 9h10v11H9zM6 15H5V4h10v2',
  tool: 'M14.500 5a4.500 4.500 0 0 0-4 6.500L4 18l2 2 6.500-6.500a4.500 4.500 0 0 0 6-5.500l-2.500 2.500-2.500-.5-.5-2.500L15.500 5z',
  archive: 'M4 5h16v4H4zM5.500 9v10h13V9M10 13h4',
  share: 'M12 15V4M8 8l4-4 4 4M5 13v7h14v-7',
  sessions: 'M5 4h14v4H5zM5 10h14v4H5zM5 16h14v4H5z',
  forget: 'M5 7h14M10 7V5h4v2M7 7l1 13h8l1-13',
} as const;
export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
