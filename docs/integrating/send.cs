// Sends a whole coup to a table, its first card by itself. SHOEPRINT_URL and SHOEPRINT_KEY name the
// server and the key. Run it with .NET 10: dotnet run send.cs -- X01
#:property PublishAot=false
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;

var url = Environment.GetEnvironmentVariable("SHOEPRINT_URL");
var key = Environment.GetEnvironmentVariable("SHOEPRINT_KEY");
var table = args.Length > 0 ? args[0] : "X01";
var session = Guid.NewGuid().ToString(); // another one after every start of the device
int[] sendAgain = [408, 429, 502, 503, 504];
var sequence = 0;
using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(60) };

// Returns the next event of this session.
object Event(string type, object data)
{
    sequence += 1;
    return new
    {
        specversion = "1.0",
        type = $"shoeprint.{type}.v1",
        source = $"device/{table}-gateway",
        id = $"{session}/{sequence}",
        time = DateTime.UtcNow.ToString("yyyy-MM-ddTHH:mm:ss.fffZ"),
        table,
        shoe = $"{table}-{session}",
        session,
        sequence,
        data,
    };
}

// Sends the same bytes again until all events in them are durable.
async Task Send(string mediaType, object body)
{
    var bytes = Encoding.UTF8.GetBytes(JsonSerializer.Serialize(body));
    for (var pause = 0.25; ; pause = Math.Min(5, pause * 2))
    {
        var asked = 0.0;
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, $"{url}/v1/events");
            request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", key);
            request.Content = new ByteArrayContent(bytes);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue(mediaType);
            using var answer = await client.SendAsync(request);
            var status = (int)answer.StatusCode;
            if (status == 202) return;
            if (!sendAgain.Contains(status))
            {
                var text = await answer.Content.ReadAsStringAsync();
                Console.Error.WriteLine($"refused: {status} {text}");
                Environment.Exit(1);
            }
            asked = answer.Headers.RetryAfter?.Delta?.TotalSeconds ?? 0;
        }
        catch (Exception broken) when (broken is HttpRequestException or TaskCanceledException)
        {
            Console.Error.WriteLine($"the connection broke: {broken.Message}");
        }
        await Task.Delay(TimeSpan.FromSeconds(Math.Max(pause, asked)));
    }
}

Task SendOne(object one) => Send("application/cloudevents+json", one);
Task SendMany(params object[] many) => Send("application/cloudevents-batch+json", many);

await SendMany(
    Event("shoe-opened", new
    {
        rules = "punto-banco-no-burn@1",
        decks = 8,
        kind = "physical",
        currency = "USD",
        reports = new[] { "outcomes", "dealers" },
    }),
    Event("dealer-signed-on", new { dealer = "dora", role = "dealer" }),
    Event("coup-opened", new { coup = 1 }),
    Event("betting-closed", new { }));
await SendOne(Event("card-drawn", new { card = "9S", to = "player" }));
await SendMany(
    Event("card-drawn", new { card = "5C", to = "banker" }),
    Event("card-drawn", new { card = "KH", to = "player" }),
    Event("card-drawn", new { card = "3D", to = "banker" }),
    Event("outcome-declared", new { outcome = "player", by = "dealer" }),
    Event("coup-closed", new { }),
    Event("shoe-closed", new { reason = "end" }));
Console.WriteLine($"recorded {sequence} events of table {table}");
