// Cache the page and the opened puzzles for offline use. A new version has a new cache name and deletes old caches.
const KEPT = `puzzlesat ${self.registration.scope} ${VERSION}`, OURS = `puzzlesat ${self.registration.scope} `;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FIRST.map((name) => new Request(name, { cache: "reload" })))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(forget().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(self.registration.scope)) event.respondWith(answer(event.request));
});

async function forget() {
  for (const name of await caches.keys()) if (name.startsWith(OURS) && name !== KEPT) await caches.delete(name);
}

async function answer(request) {
  const kept = await caches.open(KEPT), found = await kept.match(request, { ignoreSearch: true });
  if (found) return found;
  const fresh = await fetch(request);
  if (fresh.ok) await kept.put(request, fresh.clone());
  return fresh;
}
