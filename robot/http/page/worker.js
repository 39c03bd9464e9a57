// The service worker: a page where the server cannot be reached, and notifications where no page is open. It keeps files
// of the page alone, and nothing that agents show or say.

const kept = "offline-1";
const files = ["/offline.html", "/theme.css", "/style.css"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name !== kept).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline.html")));
  } else if (origin === location.origin && files.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
  }
});

// What is asked is in the message. It leads to its card of the inbox, where the
// answer is given, and so do its buttons.
self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data.json();
  } catch {
    // It is shown that there is something.
  }
  event.waitUntil(self.registration.showNotification(message.title || "Cupola", {
    body: message.body || "An agent needs you.", tag: message.title, icon: "/icon-192.png", renotify: Boolean(message.title),
    data: { card: String(message.card).startsWith("#/") ? message.card : "#/inbox" },
    actions: message.answers ? [{ action: "approve", title: "Approve" }, { action: "deny", title: "Deny" }] : [],
  }));
});

self.addEventListener("notificationclick", (event) => {
  const { card } = event.notification.data;
  event.notification.close();
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((pages) => {
    const page = pages.find((one) => new URL(one.url).origin === location.origin);
    if (!page) return self.clients.openWindow("/" + card);
    page.postMessage({ card });
    return page.focus();
  }));
});
