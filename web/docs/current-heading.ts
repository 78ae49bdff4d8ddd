/** Marks, in the list of headings, the one that is being read. */
export function setUpCurrentHeading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.toc a')].map((link) => ({
    link,
    heading: document.getElementById(link.hash.slice(1)),
  }));
  if (links.length === 0) return;
  const mark = () => {
    const passed = links.filter(
      ({ heading }) => heading !== null && heading.getBoundingClientRect().top < 120,
    );
    for (const each of links) each.link.classList.toggle('here', each === passed.at(-1));
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}
