import { address } from '../router.ts';
import { dropRecent, dropSaved, nameOfSearch, saveSearch, searches } from '../searches.ts';

const addressOf = (search: string): string => address('search', {}, Object.fromEntries(new URLSearchParams(search)));

/** Saved and recent searches, each a link. */
export function KeptSearches() {
  const { saved, recent } = searches.value;
  const others = recent.filter((search) => !saved.includes(search));
  return (
    <>
      {saved.length > 0 && (
        <section class="kept-searches" aria-labelledby="saved-searches">
          <h2 id="saved-searches">Saved searches</h2>
          <ul>
            {saved.map((search) => (
              <li key={search}>
                <a href={addressOf(search)}>{nameOfSearch(search)}</a>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove the saved search ${nameOfSearch(search)}`}
                  onClick={() => dropSaved(search)}
                >
                  Remove
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <section class="kept-searches" aria-labelledby="recent-searches">
          <h2 id="recent-searches">Recent searches</h2>
          <ul>
            {others.map((search) => (
              <li key={search}>
                <a href={addressOf(search)}>{nameOfSearch(search)}</a>
              </li>
            ))}
          </ul>
          <button type="button" class="quiet" onClick={dropRecent}>
            Clear recent searches
          </button>
        </section>
      )}
    </>
  );
}

export function SaveSearch({ search }: { search: string }) {
  const isSaved = searches.value.saved.includes(search);
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isSaved}
      onClick={() => (isSaved ? dropSaved(search) : saveSearch(search))}
    >
      {isSaved ? '★ Saved' : '☆ Save this search'}
    </button>
  );
}
