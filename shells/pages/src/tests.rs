//! What agents write is text on every page where it can stand, and every page keeps its policy.

use crate::svg::Side;
use crate::view::{Contest, GameSummary, GameTitle, RatingView, Score, SeatView, TurnPicture};
use crate::*;
use hall_games::{CATALOG, GameResult, Reason};
use hall_wire::{GameId, Player, Span, Timestamp};

/// Markup, an attribute's end, a character that turns the direction of text, and a very long word.
const HOSTILE: &str = "<img src=x onerror=alert(1)>\"'&amp;\u{202e}evil\u{0301}\u{0301}";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_795_211_400_000 + millis)
}

fn contest() -> Contest {
    let game = GameTitle { id: "chess".to_owned(), name: "Chess".to_owned() };
    Contest { game, variant: "standard".to_owned(), division: "open", season: HOSTILE.to_owned() }
}

fn rating() -> RatingView {
    RatingView { value: 1512.4, deviation: 200.0, is_provisional: true }
}

fn seat(number: u8, score: Option<Score>) -> SeatView {
    SeatView {
        player: Player::new(number),
        handle: format!("{HOSTILE}{number}"),
        role: Some(if number == 0 { "White" } else { "Black" }),
        is_house: number == 1,
        model: Some(HOSTILE.to_owned()),
        access: Some("engine-assisted"),
        rating: Some(rating()),
        rating_after: score.map(|_| 1520.4),
        strikes: number,
        is_to_move: score.is_none() && number == 0,
        deadline: score.is_none().then(|| at(60_000)),
        clock: Some(Span::from_secs(2_400)),
        clock_ends: score.is_none().then(|| at(2_400_000)),
        vacated: None,
        score,
        half_points: None,
    }
}

fn summary(ended: bool) -> GameSummary {
    let score = |won: bool| ended.then_some(if won { Score::Won } else { Score::Lost });
    let result = GameResult {
        winners: vec![Player::new(0)],
        draw: false,
        reason: Reason::RESIGNATION,
        points: None,
        places: None,
    };
    GameSummary {
        id: GameId::from_bytes([7; 16]),
        contest: contest(),
        turn: 2,
        last_seq: 4,
        seats: vec![seat(0, score(true)), seat(1, score(false))],
        result: ended.then_some(result),
        started_at: at(0),
        ended_at: ended.then(|| at(9_000)),
    }
}

fn game_view(ended: bool) -> GameView {
    let moved = |turn: u32, forced: Option<&str>| Row {
        seq: turn + 2,
        turn,
        at: at(1_000),
        kind: RowKind::Move {
            player: Some(Player::new(u8::try_from(turn % 2).unwrap())),
            text: Some("Nf3".to_owned()),
            forced: forced.map(str::to_owned),
            commentary: Some(HOSTILE.to_owned()),
            took: Some(Span::from_millis(1_300)),
            clocks: vec![Span::from_secs(600 - u64::from(turn)); 2],
        },
    };
    let strike = Note::Strike { player: Player::new(1), cause: "deadline".to_owned(), count: 1 };
    GameView {
        game: summary(ended),
        picture: TurnPicture {
            turn: 2,
            picture: CATALOG.find("chess").unwrap().open("standard", 2).unwrap().picture(false),
        },
        beginning: CATALOG.find("chess").unwrap().open("standard", 2).ok().map(|it| it.picture(false)),
        course: ended
            .then(|| Course { title: "points".to_owned(), seats: vec![vec![(0, 0.0), (1, 3.0)]; 2] }),
        rows: vec![
            moved(0, None),
            Row { seq: 3, turn: 1, at: at(2_000), kind: RowKind::Note(strike) },
            moved(1, Some("deadline")),
            moved(2, None),
            moved(3, None),
        ],
        last_move: Some((Player::new(1), "Nf6".to_owned())),
        draw_offer: None,
        waits_for_beacon: false,
        turns: Turns::Paired,
        rules_version: "chess/1".to_owned(),
        records: vec!["pgn", "json"],
        base_url: "https://hall.example".to_owned(),
        now: at(10_000),
    }
}

fn home_view() -> HomeView {
    HomeView {
        featured: vec![summary(false)],
        live: vec![summary(false)],
        ended: vec![summary(true)],
        lobbies: vec![LobbyView { contest: contest(), waiting: 1 }],
        live_count: 2,
        ended_count: 1,
        season: Some("s1".to_owned()),
        base_url: "https://hall.example".to_owned(),
        now: at(0),
    }
}

fn agent_view() -> AgentView {
    AgentView {
        handle: HOSTILE.to_owned(),
        id: "a_1".to_owned(),
        key: "00".to_owned(),
        model: Some(HOSTILE.to_owned()),
        adapter: Some("api"),
        operator: Some(HOSTILE.to_owned()),
        is_house: false,
        is_suspended: true,
        created_at: at(0),
        record: [1, 2, 3],
        ratings: vec![(contest(), rating(), 6)],
        history: vec![RatingHistory {
            contest: contest(),
            points: vec![
                RatingPoint { value: 1_500.0, deviation: 350.0 },
                RatingPoint { value: 1_662.0, deviation: 290.0 },
            ],
        }],
        play: vec![PlayLine {
            game: contest().game,
            games: 6,
            first_try_rate: Some(0.95),
            forced: 1,
            median: Some(Span::from_millis(850)),
            p90: None,
        }],
        opponents: vec![OpponentLine { handle: HOSTILE.to_owned(), is_house: true, record: [1, 2, 3] }],
        entries: vec![EntryView {
            season: HOSTILE.to_owned(),
            division: "open",
            model: Some(HOSTILE.to_owned()),
            adapter: "api",
            access: "pure",
            created_at: at(0),
            voided_at: Some(at(1)),
        }],
        games: vec![summary(true), summary(false)],
    }
}

fn leaderboards_view() -> LeaderboardsView {
    let line = |division: &'static str| LeaderboardLine {
        contest: Contest { division, ..contest() },
        rank: 1,
        handle: HOSTILE.to_owned(),
        is_house: true,
        model: Some(HOSTILE.to_owned()),
        operator: Some(HOSTILE.to_owned()),
        access: "pure",
        rating: rating(),
        record: [1, 2, 3],
        strikes: 4,
    };
    LeaderboardsView {
        filter: LeaderboardsFilter { game: HOSTILE.to_owned(), ..LeaderboardsFilter::default() },
        lines: vec![line("open"), line("pure")],
        next_cursor: Some(HOSTILE.to_owned()),
        titles: Vec::new(),
        variants: Vec::new(),
        seasons: vec![HOSTILE.to_owned()],
        detail: Some(LeaderboardDetail {
            cross: vec![cross_line(1, [None, Some([1, 1, 0])]), cross_line(2, [Some([0, 1, 1]), None])],
            ratings: vec![1_432.0, 1_501.0],
        }),
    }
}

fn cross_line(rank: u64, scores: [Option<[u64; 3]>; 2]) -> CrossLine {
    CrossLine { rank, handle: HOSTILE.to_owned(), scores: scores.to_vec() }
}

fn versus_view() -> VersusView {
    let board =
        |variant: &str| BoardRecord { game: contest().game, variant: variant.to_owned(), record: [1, 1, 0] };
    VersusView {
        agents: [(HOSTILE.to_owned(), true), (HOSTILE.to_owned(), false)],
        record: [2, 2, 0],
        boards: vec![board("standard"), board(HOSTILE)],
        since: Some(at(0)),
        games: vec![summary(true)],
        has_more: false,
    }
}

fn verify_view() -> VerifyView {
    let text = || HOSTILE.to_owned();
    VerifyView { log_keys: vec![text()], chain: Some(text()) }
}

fn games_view() -> GamesView {
    GamesView {
        problems: Vec::new(),
        filter: GamesFilter {
            agent: HOSTILE.to_owned(),
            result: HOSTILE.to_owned(),
            ..GamesFilter::default()
        },
        games: vec![summary(true), summary(false)],
        next_cursor: Some(HOSTILE.to_owned()),
        titles: Vec::new(),
        variants: Vec::new(),
        seasons: vec![HOSTILE.to_owned()],
    }
}

fn docket_item() -> DocketItem {
    let (subject, reason) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    DocketItem {
        id: 1,
        kind: "ruling",
        subject,
        reason,
        disposition: Some(HOSTILE.to_owned()),
        created_at: at(0),
    }
}

/// Every page and part that agents' words can stand on.
fn everything() -> Vec<(&'static str, String)> {
    let frames_view =
        FramesView { game: summary(false), pictures: vec![game_view(false).picture], beginning: None };
    vec![
        ("live game", game(&game_view(false))),
        ("ended game", game(&game_view(true))),
        ("embed", embed(&game_view(false))),
        ("news", news(&game_view(true), Side::Turned)),
        ("frames", frames(&frames_view, Side::Usual)),
        ("home", home(&home_view())),
        ("agent", agent(&agent_view())),
        ("versus", versus(&versus_view())),
        ("verify", verify(&verify_view())),
        ("leaderboards", leaderboards(&leaderboards_view())),
        ("games", games(&games_view())),
        ("docket", docket(&[docket_item()], Some(&HOSTILE.to_owned()))),
        ("failure", failure(422, HOSTILE, &[(HOSTILE.to_owned(), HOSTILE.to_owned())])),
    ]
}

#[test]
fn agents_are_not_said_never_to_have_met_while_older_games_were_not_searched() {
    for (has_more, text) in [
        (false, "They have not met."),
        (true, "None of the games that were searched is theirs; older ones may be."),
    ] {
        let page = versus(&VersusView { games: Vec::new(), has_more, ..versus_view() });
        assert!(page.contains(text), "{has_more}: {page}");
    }
}

#[test]
fn an_ended_game_is_plotted_by_points_clocks_and_times_and_a_live_one_is_not() {
    let (live, ended) = (game(&game_view(false)), game(&game_view(true)));
    for (section, title) in [
        ("course", "The course of the game: points"),
        ("clocks", "Time left for all moves"),
        ("times", "Time for each move"),
    ] {
        assert!(ended.contains(&format!("id=\"{section}\"")) && ended.contains(title), "{section}: {ended}");
        assert!(!live.contains(&format!("id=\"{section}\"")), "{section}");
    }
}

#[test]
fn the_pieces_that_a_player_has_lost_stand_below_the_board_in_pictures_and_in_words() {
    let mut view = game_view(false);
    assert!(!game(&view).contains(" lost "));
    let shapes = ["pawn", "pawn", "queen"];
    for shape in shapes {
        let black = |piece: &hall_games::Piece| piece.player == Some(Player::new(1)) && piece.shape == shape;
        let place = view.picture.picture.pieces.iter().position(black).unwrap();
        view.picture.picture.pieces.remove(place);
    }
    let page = game(&view);
    assert!(
        page.contains("<b>Black</b> lost <svg") && page.contains("<title>1 × queen, 2 × pawn</title>"),
        "{page}"
    );
}

#[test]
fn what_agents_write_is_text_on_every_page() {
    for (name, html) in everything() {
        assert!(!html.contains("<img src=x"), "{name}: {html}");
        assert!(!html.contains("\"'&amp;"), "a quotation mark ends no attribute: {name}");
        assert!(
            name == "frames" || html.contains("&lt;img src=x onerror=alert(1)&gt;&quot;"),
            "{name} shows it"
        );
    }
}

#[test]
fn no_page_has_code_or_style_within_or_anything_from_elsewhere() {
    for (name, html) in everything() {
        let html = html.replace("https://hall.example", "");
        for refused in
            [" style=", "<style", "javascript:", "<base", "http://", "https://", "<iframe", "<object"]
        {
            assert!(!html.contains(refused), "{name}: {refused}");
        }
        let scripts = html.matches("<script").count();
        assert_eq!(scripts, html.matches("<script type=\"module\" src=\"/assets/").count(), "{name}");
        // A quoted value may read like an attribute; a tag has none that runs code.
        for tag in html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
            let unquoted: String = tag.split('"').step_by(2).collect();
            assert!(!unquoted.split_whitespace().any(|part| part.starts_with("on")), "{name}: {tag}");
        }
    }
}

#[test]
fn every_asset_that_a_page_names_exists() {
    let mut named = 0;
    for (name, html) in everything() {
        for path in html.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(asset(path).is_some(), "{name}: {path}");
            named += 1;
        }
    }
    assert!(named > 20, "only {named} assets are named");
}

#[test]
fn a_page_of_a_game_says_how_it_stands_and_names_forced_moves_and_strikes() {
    let live = game(&game_view(false));
    for told in [
        "White to move.",
        "Black played Nf6.",
        "data-ends=\"2026-11-20T21:51:00.000Z\"",
        "forced",
        "Strike 1 of 3 for Black: missed the deadline",
    ] {
        assert!(live.contains(told), "{told}");
    }
    assert!(live.contains("Position as text") && live.contains("White: "), "the position is there as text");
    assert!(!live.contains("/replay"), "a live game has no replay");
    let ended = game(&game_view(true));
    for told in ["won: resignation.", "format=pgn", "/replay", "/proof", "+8", "class=\"score won\""] {
        assert!(ended.contains(told), "{told}");
    }
    assert!(!ended.contains("data-now"), "nothing in the page of an ended game changes with time");
    assert_eq!(game(&game_view(true)), ended);
}

#[test]
fn moves_of_two_players_share_a_number_and_lead_to_the_position_behind_them() {
    let html = game(&game_view(true));
    assert_eq!(numbers(&html), [1, 2]);
    assert!((1..=4).all(|turn| html.contains(&format!("href=\"#t={turn}\""))));
}

#[test]
fn every_turn_has_a_number_of_its_own_where_people_do_not_count_moves_in_pairs() {
    let mut view = GameView { turns: Turns::Separate, ..game_view(true) };
    // The second player moves twice, then the first one twice.
    let movers = [1, 1, 0, 0];
    let moves = view.rows.iter_mut().filter_map(|row| match &mut row.kind {
        RowKind::Move { player, .. } => Some(player),
        RowKind::Note(_) => None,
    });
    for (player, mover) in moves.zip(movers) {
        *player = Some(Player::new(mover));
    }
    assert_eq!(numbers(&game(&view)), [1, 2, 3, 4]);
}

#[test]
fn both_moves_of_a_turn_that_two_players_share_have_one_number() {
    let mut view = GameView { turns: Turns::Shared, ..game_view(true) };
    for row in &mut view.rows {
        row.turn /= 2;
    }
    assert_eq!(numbers(&game(&view)), [1, 2]);
}

/// The numbers in the list of moves.
fn numbers(html: &str) -> Vec<u32> {
    let numbers = html.split("<span class=\"number\">").skip(1);
    numbers.map(|rest| rest.split('<').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_position_in_words_names_the_squares_of_a_board_whose_squares_are_numbered() {
    let mut view = game_view(true);
    let mut picture = CATALOG.find("checkers").unwrap().open("standard", 2).unwrap().picture(false);
    let mark = hall_games::MarkKind::LastMove;
    picture.marks.push(hall_games::Mark { column: 2, row: 3, mark, player: None });
    view.picture.picture = picture;
    let page = game(&view);
    for told in [
        "White: man 1 2 3 4 5 6 7 8 9 10 11 12<",
        "Black: man 21 22 23 24 25 26 27 28 29 30 31 32<",
        "Last move: 14<",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

#[test]
fn one_turn_is_told_as_one() {
    let mut view = game_view(true);
    (view.game.turn, view.picture.turn) = (1, 1);
    let mut list = games_view();
    list.games = vec![view.game.clone()];
    for (name, html) in [("game", game(&view)), ("games", games(&list))] {
        assert!(html.contains("1 turn") && !html.contains("1 turns"), "{name}: {html}");
    }
}

#[test]
fn the_legend_of_a_plot_has_whole_names_below_it() {
    let mut view = game_view(true);
    for (seat, handle) in view.game.seats.iter_mut().zip(["w".repeat(32), "m".repeat(32)]) {
        (seat.role, seat.handle) = (None, handle);
    }
    let page = game(&view);
    let plots: Vec<&str> = page.split("<figure class=\"plot\">").skip(1).collect();
    assert_eq!(plots.len(), 3);
    for plot in plots {
        let (drawing, below) = plot.split_once("</svg>").unwrap();
        let below = below.split("</figure>").next().unwrap();
        for letter in ["w", "m"] {
            let name = letter.repeat(32);
            assert!(below.contains(&format!(">{name}<")) && !drawing.contains(&letter.repeat(9)), "{plot}");
        }
    }
}

#[test]
fn an_agents_page_plots_its_ratings_and_tells_how_it_plays_and_against_whom() {
    let html = agent(&agent_view());
    for told in [
        "polyline",
        "1500 after the first of 2 rated games shown, 1662 after the last",
        "95.0 %",
        "0.8 s",
        "head to head",
    ] {
        assert!(html.contains(told), "{told}");
    }
}

#[test]
fn a_board_alone_has_a_cross_table_in_points_of_games() {
    let html = leaderboards(&leaderboards_view());
    for told in ["Cross table", ">1½/2<", ">½/2<", "Distribution of ratings"] {
        assert!(html.replace(['\n'], "").contains(told), "{told}");
    }
}
