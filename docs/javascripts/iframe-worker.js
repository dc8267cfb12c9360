// The site's search runs in a worker, which browsers do not start from a file. Where the site
// is read from files, this does what a worker does, in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #inside;

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "";
      this.#inside = new Promise((ready) => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = new URL(url, document.baseURI);
          script.addEventListener("load", () => ready(inside));
          inside.document.head.append(script);
        }, { once: true });
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      const inside = await this.#inside;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }
  };
}
